require 'minitest/autorun'
require_relative '../lib/bell'

class BellTest < Minitest::Test
  def test_a_room_is_needed
    assert_raises(ArgumentError) { Bell.new.ring('') }
  end
end
