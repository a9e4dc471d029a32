import { startNode as startProgram } from '../../support/running-node.ts'

export interface NodePorts {
  readonly http: number
  readonly ws: number
  readonly metrics: number
  readonly p2p: number
}

export interface StartedNode {
  readonly ports: NodePorts
  stop(): Promise<unknown>
}

/** The real program on free ports of the loopback, with the three services that every recorded node has. */
export async function startNode(options: readonly string[]): Promise<StartedNode> {
  const services = ['--rpc-http-enabled', '--rpc-ws-enabled', '--metrics-enabled']
  const { http, websocket, output, stop } = await startProgram([...services, ...options])
  const metrics = /Metrics service started and listening on \S+?:(\d+)/.exec(output())?.[1]
  const p2p = /"port":(\d+)},"msg":"Listening for peers"/.exec(output())?.[1]
  return { ports: { http, ws: websocket, metrics: Number(metrics), p2p: Number(p2p) }, stop }
}
