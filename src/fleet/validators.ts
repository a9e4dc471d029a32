/** A network's validators, as its nodes know them, and votes to add or remove one. */
import { type Clock, pause, systemClock } from '#platform/clock.ts'
import { type Address, parseAddress } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { quorumOf } from '#types/block/bft-quorum.ts'
import { askNode } from './ask-node.ts'
import { type Endpoint, endpointOf } from './endpoint.ts'
import type { FleetNode } from './network-directory.ts'
import { pidOf } from './node-process.ts'
import { refusal } from './plan-network.ts'

const LOOK_MS = 500
/** A restarted node has forgotten its vote. */
const REMIND_MS = 5_000
/** A vote counts when its validator proposes a block, and round changes may skip it. */
const VOTE_LIMIT_MS = 300_000

/** A node that has just started answers before it knows its own identity. */
const ANSWER_LIMIT_MS = 20_000

/** A running node. */
export interface Member {
  readonly node: FleetNode
  readonly endpoint: Endpoint
  readonly address: Address
}

export interface Membership {
  readonly protocol: BftProtocol
  readonly validators: readonly Address[]
  /** Running validators. */
  readonly members: readonly Member[]
  /** Running nodes whose keys are not in the validator set. */
  readonly followers: readonly Member[]
}

interface BftIdentity {
  readonly protocol: BftProtocol
  readonly self: string
  readonly validator: boolean
}

export async function readMembership(
  nodes: readonly FleetNode[],
  clock: Clock = systemClock,
): Promise<Membership> {
  const found = await Promise.all(nodes.map((node) => untilMember(node, clock)))
  const running = found.filter((each) => each !== undefined)
  const [first] = running
  if (first === undefined) throw refusal("No node of the network answers; start it by 'cairn network up'.")
  return {
    protocol: first.protocol,
    validators: await readValidators(first.endpoint, first.protocol),
    members: running.filter(({ isValidator }) => isValidator),
    followers: running.filter(({ isValidator }) => !isValidator),
  }
}

/** Undefined if it does not run, or does not report its identity in time. */
async function untilMember(node: FleetNode, clock: Clock) {
  const endMs = clock.monotonicMs() + ANSWER_LIMIT_MS
  while (pidOf(node) !== undefined) {
    const member = await readMember(node)
    if (member !== undefined || clock.monotonicMs() > endMs) return member
    await pause(clock, LOOK_MS)
  }
  return undefined
}

async function readMember(node: FleetNode) {
  const endpoint = endpointOf(node)
  try {
    const [status] = await askNode(endpoint, [{ method: 'bft_status' }])
    const { protocol, self, validator } = status!.result as BftIdentity
    return { node, endpoint, protocol, address: parseAddress(self), isValidator: validator }
  } catch {
    return undefined
  }
}

export async function readValidators(endpoint: Endpoint, protocol: BftProtocol): Promise<readonly Address[]> {
  const method = `${prefixOf(protocol)}_getValidatorsByBlockNumber`
  const [answer] = await askNode(endpoint, [{ method, params: ['latest'] }])
  if (!Array.isArray(answer?.result)) throw refused(endpoint, method, answer?.error?.message)
  return (answer.result as string[]).map(parseAddress)
}

export async function castVote(
  endpoint: Endpoint,
  protocol: BftProtocol,
  address: Address,
  isAdd: boolean,
): Promise<void> {
  const method = `${prefixOf(protocol)}_proposeValidatorVote`
  const [answer] = await askNode(endpoint, [{ method, params: [address, isAdd] }])
  if (answer?.result !== true) throw refused(endpoint, method, answer?.error?.message)
}

/** More than half of the validators vote. Resolves when the validator set of the next block has changed. */
export async function changeValidators(
  { protocol, validators, members }: Membership,
  address: Address,
  isAdd: boolean,
  clock: Clock = systemClock,
): Promise<void> {
  const needed = Math.floor(validators.length / 2) + 1
  // The validator to be removed votes last: of two validators both must vote.
  const others = members.filter((member) => member.address !== address)
  const voters = [...others, ...members.filter((member) => member.address === address)].slice(0, needed)
  if (voters.length < needed) {
    throw refusal(
      `${needed} validators must vote, and ${voters.length} of this network run; start others first.`,
    )
  }
  for (const { endpoint } of voters) await castVote(endpoint, protocol, address, isAdd)
  const startMs = clock.monotonicMs()
  let remindMs = startMs + REMIND_MS
  while (!(await isSeenByOne(voters, protocol, address, isAdd))) {
    const nowMs = clock.monotonicMs()
    if (nowMs > remindMs) {
      remindMs = nowMs + REMIND_MS
      await Promise.allSettled(voters.map(({ endpoint }) => castVote(endpoint, protocol, address, isAdd)))
    }
    if (nowMs > startMs + VOTE_LIMIT_MS) {
      throw refusal(
        `${voters.length} validators have voted, and the set has not changed in ${VOTE_LIMIT_MS / 1_000} s; 'cairn network status' says what they wait for.`,
      )
    }
    await pause(clock, LOOK_MS)
  }
  const discard = [{ method: `${prefixOf(protocol)}_discardValidatorVote`, params: [address] }]
  await Promise.allSettled(voters.map((voter) => askNode(voter.endpoint, discard)))
}

/** One answer is enough, because a voter may be restarted or killed meanwhile. */
async function isSeenByOne(
  voters: readonly Member[],
  protocol: BftProtocol,
  address: Address,
  isAdd: boolean,
): Promise<boolean> {
  const answers = await Promise.allSettled(voters.map(({ endpoint }) => readValidators(endpoint, protocol)))
  return answers.some((each) => each.status === 'fulfilled' && each.value.includes(address) === isAdd)
}

/** Describes the effect on the quorum, and refuses a change that would leave too few running validators. */
export function requireQuorum(count: number, change: 1 | -1, running: number): string {
  const after = count + change
  const sentence = `Quorum: ${quorumOf(count)} of ${count} validators now, ${quorumOf(after)} of ${after} afterwards.`
  if (after === 0) throw refusal(`${sentence} A network without validators produces no blocks.`)
  if (running < quorumOf(after)) {
    throw refusal(`${sentence} Of these ${running} would run, and the chain would stop; start others first.`)
  }
  return sentence
}

function prefixOf(protocol: BftProtocol): string {
  return protocol === 'qbft' ? 'qbft' : 'ibft'
}

function refused({ url }: Endpoint, method: string, message = 'no result') {
  return refusal(`${url} did not take ${method}: ${message}.`)
}
