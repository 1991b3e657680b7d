require 'sinatra/base'
require_relative 'lib/bell'

class Bellboy < Sinatra::Base
  get '/ring/:room' do
    Bell.new.ring(params[:room])
  rescue ArgumentError => e
    halt 400, e.message
  end
end
