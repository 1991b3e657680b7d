class Gardener < ApplicationRecord
  has_many :plots
end
