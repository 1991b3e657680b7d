require "spec_helper"
require "rspec/rails"
