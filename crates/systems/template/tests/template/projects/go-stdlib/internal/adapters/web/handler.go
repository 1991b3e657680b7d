package web

import (
	"net/http"

	"github.com/quay-labs/tokend/internal/core"
)

type Handler struct {
	issuer *core.Issuer
}

func NewHandler(issuer *core.Issuer) *Handler {
	return &Handler{issuer: issuer}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, err := h.issuer.Issue(r.Context(), r.FormValue("owner"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Write([]byte(token.Value))
}
