/** Links that lose or delay packets, or fail completely. Each node has its own network namespace. */
import assert from 'node:assert/strict'
import type { LinkFault, LinkFaults } from './hub.ts'
import { type Lab, pause } from './lab.ts'
import type { Member } from './member.ts'
import { type Form, requireSoon, type Scenario, seconds, watchLab } from './scenario.ts'

const PER_SECOND = 100
const GONE: LinkFault = { lossPercent: 100 }
const MINUTE_MS = 60_000

const between = (ones: readonly number[], others: readonly number[], fault: LinkFault): LinkFaults =>
  Object.fromEntries(
    ones.flatMap((one) =>
      others
        .filter((other) => other !== one)
        .flatMap((other) => [
          [`${one}>${other}`, fault],
          [`${other}>${one}`, fault],
        ]),
    ),
  )

const partition: Scenario = {
  name: 'partition-2-2',
  run: async (lab, form) => {
    const [one, two, ...others] = shuffled(lab)
    await lab.hub.set(between([one!, two!], others, GONE))
    await pause(lab.timeoutMs / 2)
    const halted = lab.watch.height
    const cutMs = form === 'gate' ? 2 * lab.timeoutMs : MINUTE_MS
    await pause(cutMs)
    assert.equal(lab.watch.height, halted, 'half of the validators produced a block')
    for (const [half, rest] of [
      [[one!, two!], others],
      [others, [one!, two!]],
    ] as const) {
      for (const index of half)
        await requireSilent(
          lab,
          lab.members[index]!,
          rest.map((at) => lab.members[at]!),
        )
    }
    const resumedMs = await heal(lab, cutMs)
    await lab.settle()
    return `halted on both sides, resumed ${seconds(resumedMs)} after the partition healed`
  },
}

const minority: Scenario = {
  name: 'partition-3-1',
  run: async (lab, form) => {
    const [alone, ...others] = shuffled(lab)
    const gapMs = await goesOn(lab, form, between([alone!], others, GONE))
    const left = lab.members[alone!]!
    const behind = lab.watch.height - (await left.head())
    assert.ok(behind > 0, 'the isolated validator is not behind')
    await requireSilent(
      lab,
      left,
      others.map((at) => lab.members[at]!),
    )
    await lab.hub.set({})
    const inSyncMs = await untilInSync(lab, left)
    await lab.settle()
    return `three validators continued (longest time without a block ${seconds(gapMs)}); the other was ${behind} blocks behind and in sync ${seconds(inSyncMs)} after the partition healed`
  },
}

const oneWay: Scenario = {
  name: 'one-way-loss',
  run: async (lab, form) => {
    const [deaf, ...others] = shuffled(lab)
    const faults = Object.fromEntries(others.map((other) => [`${other}>${deaf}`, GONE]))
    const gapMs = await goesOn(lab, form, faults)
    await lab.hub.set({})
    const inSyncMs = await untilInSync(lab, lab.members[deaf!]!)
    await lab.settle()
    return `three validators continued (longest time without a block ${seconds(gapMs)}); the other received nothing and was in sync ${seconds(inSyncMs)} after the link healed`
  },
}

const star: Scenario = {
  name: 'star',
  run: async (lab, form) => {
    const [, ...leaves] = shuffled(lab)
    const gapMs = await goesOn(lab, form, between(leaves, leaves, GONE))
    await lab.hub.set({})
    await lab.settle()
    return `all messages passed through one node, longest time without a block ${seconds(gapMs)}`
  },
}

const deadLink: Scenario = {
  name: 'dead-link',
  isSampled: true,
  run: async (lab, form) => {
    const [one, two] = shuffled(lab)
    const gapMs = await goesOn(lab, form, between([one!], [two!], GONE))
    await lab.hub.set({})
    await lab.settle()
    return `one link was down, longest time without a block ${seconds(gapMs)}`
  },
}

const loss: Scenario = {
  name: 'loss-20',
  run: (lab, form) => endures(lab, form, '20 % of all packets lost', { lossPercent: 20 }),
}

const delay: Scenario = {
  name: 'delay-100',
  run: (lab, form) => endures(lab, form, '100 ms on every link', { delayMs: 100 }),
}

const observer: Scenario = {
  name: 'observer',
  run: async (lab) => {
    const all = lab.members.map((_, index) => index)
    await lab.hub.set(between([all.length], all, { delayMs: 100, lossPercent: 5 }))
    lab.load.start(lab.members, PER_SECOND)
    const follower = await lab.addObserver()
    const inSyncMs = await untilInSync(lab, follower)
    const height = lab.watch.height
    await lab.untilAll(height + 2, [follower])
    await lab.load.stop()
    await lab.hub.set({})
    await lab.settle()
    return `in sync at block ${height} ${seconds(inSyncMs)} after its start, at 100 ms and 5 % loss under load`
  },
}

/** Requires that the chain continues almost without delay. */
async function goesOn(lab: Lab, form: Form, faults: LinkFaults): Promise<number> {
  const machine = watchLab(lab)
  lab.watch.mark()
  await lab.hub.set(faults)
  await pause(form === 'gate' ? 2 * lab.timeoutMs : MINUTE_MS)
  const gapMs = lab.watch.longestGapMs
  requireSoon(lab, gapMs, machine)
  return gapMs
}

async function endures(lab: Lab, form: Form, what: string, fault: LinkFault): Promise<string> {
  const all = lab.members.map((_, index) => index)
  await lab.hub.set(between(all, all, fault))
  lab.load.start(lab.members, PER_SECOND)
  lab.watch.mark()
  const [before, transactions] = [lab.watch.height, lab.watch.transactions]
  await pause(form === 'gate' ? 3 * lab.timeoutMs : 5 * MINUTE_MS)
  const gapMs = lab.watch.longestGapMs
  await lab.load.stop()
  const blocks = lab.watch.height - before
  assert.ok(blocks >= 2, `only ${blocks} blocks with ${what}`)
  await lab.hub.set({})
  await lab.settle()
  return `${what}: ${blocks} blocks, ${lab.watch.transactions - transactions} transactions mined once, longest time without a block ${seconds(gapMs)}`
}

export const LINK_SCENARIOS: readonly Scenario[] = [
  partition,
  minority,
  oneWay,
  star,
  deadLink,
  loss,
  delay,
  observer,
]

/** Validator indexes in random order. */
function shuffled({ settings: { validators }, random }: Lab): readonly number[] {
  const left = Array.from({ length: validators }, (_, index) => index)
  const drawn: number[] = []
  while (left.length > 0) drawn.push(...left.splice(random.randomBelow(left.length), 1))
  return drawn
}

/** Requires that the node reports the silent validators, and since when. */
async function requireSilent(lab: Lab, member: Member, silent: readonly Member[]): Promise<void> {
  let cause = ''
  const isTold = ({ network: { validator } }: Member) => cause.includes(`${validator} (last heard `)
  await lab.until(`${member.name} reports the silent validators`, async () => {
    cause = (await member.status()).cause
    return /^3 of 4 validators are needed/.test(cause) && silent.every(isTold)
  })
}

/**
 * TCP doubles its wait before each retransmission, so connections may need the length of the cut again to
 * recover.
 */
async function heal(lab: Lab, cutMs: number): Promise<number> {
  const machine = watchLab(lab)
  const [height, beganMs] = [lab.watch.height, performance.now()]
  await lab.hub.set({})
  await lab.until('the chain moves again', async () => lab.watch.height > height)
  const tookMs = performance.now() - beganMs
  requireSoon(lab, tookMs - cutMs, machine)
  return tookMs
}

async function untilInSync(lab: Lab, member: Member): Promise<number> {
  const beganMs = performance.now()
  await lab.untilAll(lab.watch.height, [member])
  await lab.untilReady(member)
  return performance.now() - beganMs
}
