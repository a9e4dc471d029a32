import { oneOf, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import type { BftProtocol } from '#types/bft-extra-data.ts'

const PROTOCOLS = { IBFT_EXTRA_DATA: 'ibft2', QBFT_EXTRA_DATA: 'qbft' } as const

export const rlpOptions = defineOptions('Options', {
  from: { flag: '--from', kind: path, help: 'File to read.', defaultText: 'standard input' },
  to: { flag: '--to', kind: path, help: 'File to write.', defaultText: 'standard output' },
  type: {
    flag: '--type',
    kind: oneOf(['IBFT_EXTRA_DATA', 'QBFT_EXTRA_DATA']),
    default: 'IBFT_EXTRA_DATA',
    help: 'IBFT_EXTRA_DATA for IBFT 2.0 or QBFT_EXTRA_DATA for QBFT.',
  },
})

export function protocolOf(type: keyof typeof PROTOCOLS): BftProtocol {
  return PROTOCOLS[type]
}
