import type { ServerConfig } from '#jsonrpc/settings/server-config.ts'
import { shareSubscriptions } from '#jsonrpc/subscriptions/subscription-slots.ts'
import type { ListenPlace } from '#platform/listen-fault.ts'
import { canSharePorts, probePorts } from '#serve/probe-port.ts'

const BYTES_PER_COUNT = 4

/** Configures several servers on the same ports, each port probed once. One server shares nothing. */
export async function shareOut<Config extends ServerConfig>(
  config: Config,
  count: number,
  warn: (sentence: string) => void,
): Promise<Config[]> {
  if (count === 1) return [config]
  if (!canSharePorts()) {
    warn('Servers cannot share a port on this system; --rpc-threads counts as 1.')
    return [config]
  }
  const { http, websocket } = config
  const counts = () => new Int32Array(new SharedArrayBuffer(count * BYTES_PER_COUNT))
  const shared = { httpConnections: counts(), websocketConnections: counts() }
  const ports = await probePorts([
    ...(http === null ? [] : [placeOf(http, 'http')]),
    ...(websocket === null ? [] : [placeOf(websocket, 'ws')]),
  ])
  const probed = {
    ...config,
    http: http && { ...http, port: ports[0]! },
    websocket: websocket && { ...websocket, port: ports.at(-1)! },
  }
  const subscriptions = { ...config.subscriptions, shared: shareSubscriptions(count) }
  return Array.from({ length: count }, (_, server) => ({
    ...probed,
    // One server is enough for the listener of another room and for one consensus client.
    pipeline: server === 0 ? config.pipeline : null,
    enginePort: server === 0 ? config.enginePort : null,
    sharing: { ...shared, server },
    subscriptions: { ...subscriptions, server },
  }))
}

function placeOf({ host, port }: { host: string; port: number }, word: 'http' | 'ws'): ListenPlace {
  return { host, port, hostOption: `--rpc-${word}-host`, portOption: `--rpc-${word}-port` }
}
