require_relative 'app'
run Bellboy
