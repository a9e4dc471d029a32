import type { Operands } from '#cli/command.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

/** The network that `cairn network new` created here, unless another is named. */
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
