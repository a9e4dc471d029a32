/* The entry of a server thread: loads the methods and serves them. Main owns what all servers share. */

import { methodsOn } from '#api/methods-on.ts'
import { loadOutsideMethods } from '#api/registry/outside-methods.ts'
import { pluginMethod } from '#api/registry/plugin-method.ts'
import { API } from '#api/served-api.ts'
import type { Method } from '#jsonrpc/method.ts'
import { type JsonRpcServer, startJsonRpcServer } from '#jsonrpc/threads/json-rpc-server.ts'
import { boundGarbage } from '#platform/bound-memory.ts'
import { systemClock } from '#platform/clock.ts'
import { runReportingThread } from '#platform/thread/reporting-thread.ts'
import { threadData } from '#platform/thread/thread-data.ts'
import { type MainChannel, openServerResources, type ServerResources } from './server-resources.ts'
import type { SERVER } from './server-thread.ts'

export default runReportingThread<typeof SERVER>(async ({ data: config, log, metrics, connect }) => {
  if (threadData !== undefined) boundGarbage(systemClock)
  let served: ServerResources | undefined
  let server: JsonRpcServer | undefined
  const main: MainChannel = connect({
    requests: {
      addresses: () => server!.addresses,
      connectEngine: ({ name, port }) => {
        served?.engines?.connect(name, port)
        return null
      },
      announce: (head) => {
        served?.announce(head)
        return null
      },
      call: (call, context) => server!.call(call, context),
    },
    streams: { connection: ({ id }, { signal }) => server!.connection(id, signal) },
  })
  // Subscribed before the state is requested, so nothing is missed in between.
  main.onEvent('headMoved', (head) => served?.announce(head))
  const opened = await openServerResources(config, main, {
    clock: systemClock,
    log: log.child('rpc'),
    metrics,
  })
  served = opened
  const { own, reader, heads, resources, engines, brief, callLimits, subscriptions } = opened
  opened.announce(await own.heads.last())
  const engineMethods = config.enginePort === null ? [] : await loadEngineMethods()
  server = await startJsonRpcServer(config, {
    api: API,
    methods: [
      ...methodsOn({ isDevelopment: config.devKeys !== undefined }),
      ...(await loadOutsideMethods(config.methodModules)),
      ...config.pluginMethods.map(pluginMethod),
    ],
    engineMethods,
    resources,
    remoteEngine: engines,
    brief,
    callLimits,
    heights: { height: reader.height, onMoved: heads.onMoved },
    admitLogin: (remoteAddress) => own.logins.admit(remoteAddress),
    facts: () => own.health.facts(),
    listen: async (pipeline) => {
      const { startConsole } = await import('#console/start-console.ts')
      const { host, port } = config.pipeline!
      return await startConsole({ host, port, nodes: config.consoleNodes, pipeline })
    },
    log,
    metrics,
  })
  return {
    async stop() {
      await server?.stop()
      subscriptions.end()
      await reader.close()
    },
  }
})

/** Few nodes have a consensus client. */
async function loadEngineMethods(): Promise<readonly Method[]> {
  return (await import('#api/engine-methods.generated.ts')).ENGINE_METHODS
}
