/** The versions of engine_forkchoiceUpdated differ in the attributes of the block to build. */
import { object, enum as oneOf, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { type ForkSpan, hasFork, requireFork } from '#api/engine-port/require-fork.ts'
import type { Resources } from '#api/resources.ts'
import { type Attributes, AttributesWire, attributesOf } from '#api/schema/payload.ts'
import { DataText, HashText, HashWire } from '#api/schema/values.ts'
import type { ForkChoice } from '#chain/write/fork-choice.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'

const state = new Param(
  object({ headBlockHash: HashWire, safeBlockHash: HashWire, finalizedBlockHash: HashWire })
    .transform(
      ({ headBlockHash: head, safeBlockHash: safe, finalizedBlockHash: finalized }): ForkChoice => ({
        head,
        safe,
        finalized,
      }),
    )
    .meta({ title: 'fork choice', description: 'the zero hash names no safe or finalized block' }),
  'INVALID_ENGINE_FORKCHOICE_UPDATED_PARAMS',
)
const attributes = new Param(
  AttributesWire,
  'INVALID_ENGINE_FORKCHOICE_UPDATED_PAYLOAD_ATTRIBUTES',
).optional()

const Result = object({
  payloadStatus: object({
    status: oneOf(['VALID', 'INVALID', 'SYNCING', 'ACCEPTED']),
    latestValidHash: HashText.nullable(),
    validationError: string().nullable(),
  }),
  payloadId: DataText.nullable(),
}).meta({ title: 'fork choice result' })

type Needed = Pick<Resources, 'chain' | 'forkchoice'>
type Check = (resources: Needed, given: Attributes) => void

const BEFORE_SHANGHAI: ForkSpan = { from: undefined, before: 'shanghai' }
const BEFORE_CANCUN: ForkSpan = { from: undefined, before: 'cancun' }
const FROM_CANCUN: ForkSpan = { from: 'cancun', before: 'amsterdam' }

const checkV1: Check = (resources, given) => {
  if (given.withdrawals != null || given.parentBeaconBlockRoot != null)
    throw rpcFault('INVALID_PAYLOAD_ATTRIBUTES')
  requireFork(resources, given.timestamp, BEFORE_SHANGHAI)
}

const checkV2: Check = (resources, { timestamp, withdrawals, parentBeaconBlockRoot }) => {
  if (parentBeaconBlockRoot != null) throw rpcFault('INVALID_PAYLOAD_ATTRIBUTES')
  requireFork(resources, timestamp, BEFORE_CANCUN)
  const hasWithdrawals = hasFork(resources.chain, 'shanghai', timestamp)
  if ((withdrawals != null) !== hasWithdrawals) throw rpcFault('INVALID_WITHDRAWALS_PARAMS')
}

const checkV3: Check = (resources, { timestamp, withdrawals, parentBeaconBlockRoot }) => {
  if (withdrawals == null || parentBeaconBlockRoot == null) throw rpcFault('INVALID_PAYLOAD_ATTRIBUTES')
  requireFork(resources, timestamp, FROM_CANCUN)
}

const version = (number: number, builds: string, check: Check) =>
  defineMethod({
    name: `engine_forkchoiceUpdatedV${number}`,
    summary: `Sets the head and the safe and finalized blocks; with attributes, builds a block ${builds}.`,
    needs: ['chain', 'forkchoice'],
    params: { state, attributes },
    result: Result,
    run: (resources, params) => choose(resources, params.state, params.attributes, check),
  })

export const engine_forkchoiceUpdatedV1 = version(1, 'of Paris', checkV1)
export const engine_forkchoiceUpdatedV2 = version(2, 'up to Shanghai', checkV2)
export const engine_forkchoiceUpdatedV3 = version(3, 'from Cancun on', checkV3)

/** The choice stands even if the attributes are wrong. */
async function choose(resources: Needed, choice: ForkChoice, given: Attributes | undefined, check: Check) {
  const problem = given && problemOf(() => check(resources, given))
  const wanted = given === undefined || problem !== undefined ? null : attributesOf(given)
  const answer = await resources.forkchoice.choose(choice, wanted)
  if (answer.kind === 'TOO_DEEP_REORG') throw rpcFault(answer.kind, { data: answer.sentence })
  if (answer.kind !== 'status') throw rpcFault(answer.kind)
  const { payloadStatus, payloadId } = answer
  if (problem !== undefined && payloadStatus.status === 'VALID') throw problem
  return { payloadStatus, payloadId }
}

function problemOf(check: () => void): unknown {
  try {
    check()
    return undefined
  } catch (error) {
    return error
  }
}
