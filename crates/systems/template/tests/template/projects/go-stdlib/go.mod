module github.com/quay-labs/tokend

go 1.22
