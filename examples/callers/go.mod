module example.com/ask

go 1.18
