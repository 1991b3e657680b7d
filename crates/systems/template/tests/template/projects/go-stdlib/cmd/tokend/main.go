package main

import (
	"log"
	"net/http"

	"github.com/quay-labs/tokend/internal/adapters/memory"
	"github.com/quay-labs/tokend/internal/adapters/web"
	"github.com/quay-labs/tokend/internal/core"
)

func main() {
	issuer := core.NewIssuer(memory.New())
	mux := http.NewServeMux()
	mux.Handle("POST /tokens", web.NewHandler(issuer))
	log.Fatal(http.ListenAndServe(":8080", mux))
}
