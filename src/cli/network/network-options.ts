import type { Operands } from '#cli/command.ts'
import { path, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

/** Which network is meant: the one that `cairn network new` made here, unless another is named. */
export const networkOptions = defineOptions('Options', {
  directory: {
    flag: '--directory',
    kind: path,
    label: 'DIRECTORY',
    default: 'network',
    help: 'Directory of the network.',
  },
})

export const NODE_OPERAND: Operands = { label: 'NODE', help: 'name a node, such as validator-1.', count: 1 }

/** One vote on any network, instead of those of a network on this machine. */
export const voteOptions = {
  ...networkOptions,
  ...defineOptions('Options', {
    rpc: {
      flag: '--rpc',
      kind: text,
      label: 'URL',
      help: 'Cast the vote of the validator at this URL only, on an address.',
    },
  }),
}
