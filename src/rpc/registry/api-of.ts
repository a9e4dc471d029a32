/** `net_version` belongs to NET, `rpc.discover` to RPC. */
export function apiOf(wireName: string): string {
  return wireName.slice(0, wireName.search(/[_.]/)).toUpperCase()
}
