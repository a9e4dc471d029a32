import { literal, number, string, union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'

/** As in Besu, a number is a name too. */
const PluginName = new Param(
  union([string(), number()]).meta({ description: 'the name of a plugin' }).transform(String),
  'INVALID_PLUGIN_NAME_PARAMS',
)

export default defineMethod({
  name: 'plugins_reloadPluginConfig',
  summary: 'Reloads the configuration of one plugin or of all plugins.',
  needs: ['plugins'],
  alsoIn: ['ADMIN'],
  params: { plugin: PluginName.optional() },
  changes: { what: 'plugins', observe: ({ plugins }) => plugins.options() },
  result: literal('Success'),
  run: async ({ plugins }, { plugin }) => {
    const verdict = await plugins.reload(plugin)
    if (verdict.kind === 'unknown') throw rpcFault('PLUGIN_NOT_FOUND')
    if (verdict.kind === 'failed') throw rpcFault('PLUGIN_RELOAD_FAILED', { message: verdict.text })
    return 'Success' as const
  },
})
