require "rails_helper"

RSpec.describe Plot do
  it "is free without a gardener" do
    expect(Plot.new(number: 3)).to be_free
  end
end
