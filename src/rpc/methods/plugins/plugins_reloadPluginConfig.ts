import { literal, number, string, union } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'

/** As in Besu, a number is a name too. */
const PluginName = new Param(
  union([string(), number()]).meta({ description: 'the name of a plugin' }).transform(String),
  'INVALID_PLUGIN_NAME_PARAMS',
)

export default defineMethod({
  name: 'plugins_reloadPluginConfig',
  summary: 'Lets a plugin, or all of them, put its configuration in force anew, and waits until they have.',
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
