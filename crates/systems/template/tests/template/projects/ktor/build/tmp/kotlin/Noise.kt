class Noise { fun a() = 1 }
