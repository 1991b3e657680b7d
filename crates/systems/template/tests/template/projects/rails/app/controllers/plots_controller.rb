class PlotsController < ApplicationController
  def index
    @plots = Plot.order(:number)
  end

  def show
    @plot = Plot.find(params[:id])
  end

  def create
    @plot = Plot.create!(plot_params)
    redirect_to @plot
  end

  private

  def plot_params
    params.require(:plot).permit(:number)
  end
end
