class Noise; end
