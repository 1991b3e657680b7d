Rails.application.routes.draw do
  resources :plots, only: %i[index show create]
end
