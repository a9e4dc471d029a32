/** The chain in this thread, with the interface of the writer thread. */
import { sliceCandidates } from '#chain/build/candidates.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { nextValidatorsOf } from '#chain/write/head-change.ts'
import { buildAnswerOf } from '#chain/writer/build-answer.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { concatBytes } from '#types/bytes.ts'
import type { ConsensusOptions } from './start-consensus.ts'

const crypto = await loadCrypto()

export function writerOf(chain: Chain): ConsensusOptions['writer'] {
  return {
    build: async (template, source) => {
      const { signal } = new AbortController()
      const built = await chain.build(template, {
        candidates: (terms) => sliceCandidates(source, { ...terms, deadlineAtMs: 0, signal }),
      })
      return buildAnswerOf(built)
    },
    validate: (block, validation) => chain.validate(chain.receive(block), { validation }),
    keccak: async (pieces) => crypto.keccak(concatBytes(...pieces)),
    importBlock: (block, validation) => chain.importBlock(chain.receive(block), { validation }),
    nextValidators: async () => {
      const next = await chain.nextValidators()
      return next === undefined ? null : nextValidatorsOf(next.parent, next.validatorSet)
    },
  }
}
