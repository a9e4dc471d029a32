/* The entry of a plugin's thread, the only place that loads its module. */
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { deserialize } from 'node:v8'
import type { HandlerContext } from '#platform/channel/channel-protocol.ts'
import type { StarterChannel } from '#platform/thread/define-thread.ts'
import { runThread } from '#platform/thread/thread-entry.ts'
import { declare } from '#plugins/declaration.ts'
import type { NodeHandle, Plugin } from '#plugins/define-plugin.ts'
import { pluginFault } from '#plugins/faults.ts'
import type { PLUGIN } from '#plugins/host/start-guest.ts'
import { verifyPlugin } from '#plugins/verify-plugin.ts'
import { Fault } from '#types/fault.ts'
import { Guest } from './guest.ts'
import { describeLoadError } from './load-error.ts'
import { loadVerifiedOnly } from './load-verified.ts'

/** Lets a module in a data directory find the interface without a node_modules folder nearby. */
const INTERFACE = import.meta.resolve('#plugins/define-plugin.ts')
const PROGRAM = new URL('../../', import.meta.url).href
/** The plugin's own files, in case one of them is wrong. */
const loaded = new Set<string>()
let isLoading = true

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cairn-node/plugin' ? { url: INTERFACE, shortCircuit: true } : next(specifier, context),
  load(url, context, next) {
    if (isLoading && url.startsWith('file:') && !url.startsWith(PROGRAM)) loaded.add(url)
    return next(url, context)
  },
})

/** The channel's deadline must not end a plugin's request before the node's does. */
const REQUEST_DEADLINE_MS = 60_000

type Host = StarterChannel<typeof PLUGIN>

runThread<typeof PLUGIN>(async ({ data: { module, isVerified }, connect }) => {
  if (isVerified) loadVerifiedOnly(verifyPlugin(fileURLToPath(module)))
  const { default: plugin } = await load(module)
  if (typeof plugin?.definition !== 'object' || plugin.definition === null) {
    throw pluginFault('its default export is not what definePlugin gives')
  }
  const guest = new Guest(plugin.definition, (method, params = []) => requestOf(host, method, params))
  const host: Host = connect(
    {
      requests: {
        describe: () => declare(plugin),
        ping: () => null,
        configure: (config) => guest.configure(config),
        lifecycle: inTime(({ step, options }, signal) => guest.lifecycle(step, options, signal)),
        call: inTime(({ method, params }) =>
          guest.call(method, deserialize(params) as Readonly<Record<string, unknown>>),
        ),
        admission: inTime((transactions) => guest.admission(transactions)),
        selection: inTime(({ transactions, block }) => guest.selection(transactions, block)),
        connections: inTime((peer) => guest.connections(peer)),
        health: inTime(() => guest.health()),
        metrics: () => guest.metrics.all(),
        publicKey: inTime(() => guest.signer('publicKey', null)),
        sign: inTime((digest) => guest.signer('sign', digest)),
        ecdh: inTime((publicKey) => guest.signer('ecdh', publicKey)),
      },
    },
    (error) => {
      throw error
    },
    { log: () => guest.rootLog },
  )
  listen(guest, host)
  return {}
})

async function load(module: string): Promise<{ readonly default?: Plugin }> {
  try {
    return await import(module)
  } catch (error) {
    // A fault says everything itself: a file that is not listed, for example.
    throw error instanceof Fault ? error : pluginFault(describeLoadError(error, loaded), { cause: error })
  } finally {
    isLoading = false
    loaded.clear()
  }
}

/**
 * Ends a call when its deadline has passed. Otherwise calls that are never answered would fill the channel and block all
 * others.
 */
function inTime<Params, Result>(answer: (params: Params, signal: AbortSignal) => Promise<Result>) {
  return (params: Params, { signal }: HandlerContext): Promise<Result> => {
    const over = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => over.reject(signal.reason), { once: true })
    return Promise.race([answer(params, signal), over.promise])
  }
}

function listen(guest: Guest, host: Host): void {
  const on = guest.definition.on ?? {}
  if (on.block || on.logs) host.onEvent('headMoved', ({ number }) => guest.headMoved(number))
  for (const name of ['poolAdded', 'poolDropped', 'round'] as const) {
    if (on[name] === undefined) continue
    host.onEvent(name, (event, { missed }) =>
      guest.hear(name, (node) => on[name]!(event as never, node, missed)),
    )
  }
  if (on.sync) host.onEvent('sync', (event) => guest.hear('sync', (node) => on.sync!(event, node)))
  if (on.peers) host.onEvent('peers', (event) => guest.hear('peers', (node) => on.peers!(event, node)))
}

async function requestOf(
  host: Host,
  method: string,
  params: readonly unknown[],
): ReturnType<NodeHandle['request']> {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const { result, error } = JSON.parse(
    await host.request('rpc', message, { deadlineMs: REQUEST_DEADLINE_MS }),
  )
  if (error === undefined) return result
  throw Object.assign(new Error(error.message), { code: error.code, data: error.data })
}
