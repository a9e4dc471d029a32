import { Agent, request } from 'node:http'

export interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export interface RpcClient {
  call(method: string, ...params: unknown[]): Promise<RpcAnswer>
  close(): void
}

/** One connection that stays open, like that of a node's client. */
export function openRpcClient(port: number, host = '127.0.0.1'): RpcClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { 'content-type': 'application/json' }
  const send = (body: string): Promise<RpcAnswer> =>
    new Promise((resolve, reject) => {
      const sent = request({ agent, host, port, method: 'POST', headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () => {
          try {
            resolve(JSON.parse(text))
          } catch {
            reject(new Error(`${response.statusCode} ${text}`))
          }
        })
        response.on('error', reject)
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // On a busy machine the node may close an idle connection while the next request is on its way.
        if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(send(body))
        else reject(error)
      })
      sent.end(body)
    })
  return {
    call: (method, ...params) => send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
    close: () => agent.destroy(),
  }
}

/** The value below which `percent` percent of the values lie. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}
