class Bell
  def ring(room)
    raise ArgumentError, 'which room?' if room.to_s.empty?

    "ringing #{room}"
  end
end
