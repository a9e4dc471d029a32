/* Where the thread of a plugin begins: its module is loaded here and nowhere else. */
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { HandlerContext } from '#platform/channel/channel-protocol.ts'
import { unpackValue } from '#platform/channel/packed-value.ts'
import type { StarterChannel } from '#platform/thread/define-thread.ts'
import { runThread } from '#platform/thread/thread-entry.ts'
import { declare } from '#plugins/declaration.ts'
import type { NodeHandle, Plugin } from '#plugins/define-plugin.ts'
import { pluginFault } from '#plugins/faults.ts'
import type { PLUGIN } from '#plugins/host/start-guest.ts'
import { verifyPlugin } from '#plugins/verify-plugin.ts'
import { Guest } from './guest.ts'
import { loadVerifiedOnly } from './load-verified.ts'

/** A module in a data directory finds the interface, though no folder of packages is near it. */
const INTERFACE = import.meta.resolve('#plugins/define-plugin.ts')
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cairn-node/plugin' ? { url: INTERFACE, shortCircuit: true } : next(specifier, context),
})

/** The channel's own deadline must not end a request of a plugin before the node's does. */
const REQUEST_DEADLINE_MS = 60_000

type Host = StarterChannel<typeof PLUGIN>

runThread<typeof PLUGIN>(async ({ data: { module, isVerified }, connect }) => {
  if (isVerified) loadVerifiedOnly(verifyPlugin(fileURLToPath(module)))
  const { default: plugin }: { readonly default?: Plugin } = await import(module)
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
          guest.call(method, unpackValue(params) as Readonly<Record<string, unknown>>),
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

/** What nobody waits for any more is over: otherwise questions that are never answered would fill the channel, and keep out all others. */
function inTime<Params, Result>(answer: (params: Params, signal: AbortSignal) => Promise<Result>) {
  return (params: Params, { signal }: HandlerContext): Promise<Result> => {
    const over = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => over.reject(signal.reason), { once: true })
    return Promise.race([answer(params, signal), over.promise])
  }
}

function listen(guest: Guest, host: Host): void {
  const on = guest.definition.on ?? {}
  if (on.block || on.logs) host.onNews('headMoved', ({ number }) => guest.headMoved(number))
  if (on.poolAdded) {
    host.onNews('poolAdded', (news, { missed }) =>
      guest.hear('poolAdded', (node) => on.poolAdded!(news, node, missed)),
    )
  }
  if (on.poolDropped) {
    host.onNews('poolDropped', (news, { missed }) =>
      guest.hear('poolDropped', (node) => on.poolDropped!(news, node, missed)),
    )
  }
  if (on.sync) host.onNews('sync', (news) => guest.hear('sync', (node) => on.sync!(news, node)))
  if (on.peers) host.onNews('peers', (news) => guest.hear('peers', (node) => on.peers!(news, node)))
  if (on.round) {
    host.onNews('round', (news, { missed }) => guest.hear('round', (node) => on.round!(news, node, missed)))
  }
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
