// GitHub's MCP server has no setting for the address of GitHub: what it fetches goes to the address that is
// the first argument instead.
const base = process.argv[2];
const fetched = globalThis.fetch;
globalThis.fetch = (url, options) =>
  fetched(String(url).replace("https://api.github.com", base), options);
