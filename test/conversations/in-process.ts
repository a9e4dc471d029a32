import { parseArgs } from 'node:util'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import type { Answer, CallContext, Dispatcher } from '#rpc/call.ts'
import { createDispatcher } from '#rpc/dispatch.ts'
import { METHODS } from '#rpc/methods.generated.ts'
import type { HandedPorts, ServiceAddress, ServiceName } from '#rpc/ports.ts'
import { createRegistry } from '#rpc/registry.ts'
import type { Ask } from './play.ts'

const ALL_APIS = 'ADMIN,DEBUG,ETH,IBFT,MINER,NET,PERM,PLUGINS,QBFT,TRACE,TXPOOL,WEB3'

/** The options that answers depend on, with the defaults that conversations rely on. */
const OPTIONS = {
  identity: { type: 'string' },
  'network-id': { type: 'string', default: '1337' },
  'rpc-http-api': { type: 'string', default: ALL_APIS },
  'rpc-http-host': { type: 'string', default: '127.0.0.1' },
  'rpc-http-port': { type: 'string', default: '8545' },
  'rpc-http-max-batch-size': { type: 'string', default: '1024' },
  'json-pretty-print-enabled': { type: 'boolean', default: false },
  'rpc-ws-enabled': { type: 'boolean', default: false },
  'rpc-ws-port': { type: 'string', default: '8546' },
  'metrics-enabled': { type: 'boolean', default: false },
  'metrics-port': { type: 'string', default: '9545' },
  'p2p-enabled': { type: 'boolean', default: false },
  'p2p-port': { type: 'string', default: '30303' },
} as const

/** The dispatcher of a node with these options, as far as answers depend on them. */
export function startDispatcher(options: readonly string[]): Dispatcher {
  const { values } = parseArgs({ args: [...options], options: OPTIONS })
  const services: { [Name in ServiceName]?: ServiceAddress } = {
    jsonrpc: { host: values['rpc-http-host'], port: Number(values['rpc-http-port']) },
  }
  const local = (port: string): ServiceAddress => ({ host: '127.0.0.1', port: Number(port) })
  if (values['rpc-ws-enabled']) services.ws = local(values['rpc-ws-port'])
  if (values['p2p-enabled']) services.p2p = local(values['p2p-port'])
  if (values['metrics-enabled']) services.metrics = local(values['metrics-port'])
  const identity = values.identity === undefined ? '' : `${values.identity}/`
  const ports: HandedPorts = {
    node: {
      clientVersion: () => `cairn/${identity}v0.1.0/linux-x86_64/node-v24`,
      networkId: () => BigInt(values['network-id']),
      services: async () => services,
      isListening: async () => values['p2p-enabled'],
    },
    log: { setLevel: async () => undefined },
  }
  return createDispatcher({
    registry: createRegistry({ methods: METHODS, apis: values['rpc-http-api'].split(',') }),
    ports,
    limits: { maxBatchSize: Number(values['rpc-http-max-batch-size']) },
    prettyPrint: values['json-pretty-print-enabled'],
    metrics: { onCall: () => undefined, onError: () => undefined },
    log: createLog({ level: 'OFF', fd: 2 }),
    clock: systemClock,
  })
}

export const LOCAL_CALL: CallContext = {
  transport: 'http',
  caller: { mayCall: () => true },
  signal: new AbortController().signal,
  requestId: 'conversation',
}

export function askInProcess(options: readonly string[], context: CallContext = LOCAL_CALL): Ask {
  const dispatcher = startDispatcher(options)
  return async (request) => await textOf(await dispatcher.dispatch(Buffer.from(request), context))
}

export async function textOf(answer: Answer): Promise<string> {
  if (answer.kind === 'nothing') return ''
  if (typeof answer.body === 'string') return answer.body
  return (await Array.fromAsync(answer.body)).join('')
}
