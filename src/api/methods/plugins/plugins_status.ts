import { array, nullable, object, string, enum as zenum } from 'zod'
import { defineMethod } from '#api/define-method.ts'

export default defineMethod({
  name: 'plugins_status',
  summary: 'The plugins of the node, with the state of each and its cause.',
  needs: ['plugins'],
  alsoIn: ['ADMIN'],
  params: {},
  result: array(
    object({
      name: string(),
      version: nullable(string()).meta({ description: 'null if the plugin could not be loaded' }),
      state: zenum(['running', 'failing', 'restarting', 'left out']),
      cause: nullable(string()).meta({ description: 'why it is in another state than running' }),
      declares: string().meta({ description: 'a summary of its declaration' }),
    }),
  ),
  run: async ({ plugins }) => [...(await plugins.states())],
})
