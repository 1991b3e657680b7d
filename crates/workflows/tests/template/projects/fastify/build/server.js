export function buildServer() {}
