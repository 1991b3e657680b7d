class Plot < ApplicationRecord
  belongs_to :gardener

  validates :number, presence: true, uniqueness: true

  def free?
    gardener_id.nil?
  end
end
