package gin

type Engine struct{}
