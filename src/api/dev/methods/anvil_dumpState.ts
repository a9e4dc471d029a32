import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { dumpState } from '#api/dev/state-dump.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { DataText } from '#api/schema/values.ts'

export default defineDevMethod({
  name: 'anvil_dumpState',
  aliases: toolNames('dumpState'),
  summary:
    'All accounts with code and storage, for anvil_loadState: gzipped JSON in the form of anvil, without blocks.',
  needs: ['chain'],
  cost: 'heavy',
  params: {},
  result: DataText,
  run: ({ chain }) => dumpState(chain),
})
