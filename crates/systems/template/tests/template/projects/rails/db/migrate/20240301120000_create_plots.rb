class CreatePlots < ActiveRecord::Migration[7.1]
  def change
    create_table :plots do |t|
      t.integer :number
      t.references :gardener
    end
  end
end
