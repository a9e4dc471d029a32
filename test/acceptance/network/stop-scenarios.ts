/** Validators that are stopped, killed and restarted under load. */
import assert from 'node:assert/strict'
import { type Lab, pause } from './lab.ts'
import type { Member } from './member.ts'
import { requireSoon, type Scenario, seconds, untilCause, watchLab } from './scenario.ts'

const PER_SECOND = 100
const MINUTE_MS = 60_000

const load: Scenario = {
  name: 'load',
  run: async (lab, form) => {
    lab.watch.mark()
    const before = lab.watch.transactions
    lab.load.start(lab.members, PER_SECOND)
    await pause(form === 'gate' ? 5_000 : 10 * MINUTE_MS)
    await lab.load.stop()
    const gapMs = lab.watch.longestGapMs
    await lab.settle()
    const mined = lab.watch.transactions - before
    return `${mined} transactions mined once, longest time without a block ${seconds(gapMs)}`
  },
}

const stopOne: Scenario = {
  name: 'stop-one',
  run: async (lab, form) => {
    const stopped = pick(lab)
    lab.load.start(lab.members, PER_SECOND)
    assert.equal(await stopped.stop(), 0)
    const machine = watchLab(lab)
    lab.watch.mark()
    // Five blocks give each running validator a turn and include one turn of the stopped validator.
    await lab.moreBlocks(form === 'gate' ? 5 : 60)
    const gapMs = lab.watch.longestGapMs
    requireSoon(lab, gapMs, machine)
    await stopped.start()
    await lab.untilReady(stopped)
    await lab.load.stop()
    await lab.settle()
    return `continued without ${stopped.name}, longest time without a block ${seconds(gapMs)}`
  },
}

const stopTwo: Scenario = {
  name: 'stop-two',
  run: async (lab, form) => {
    const first = pick(lab)
    const second = pick(lab, first)
    const left = lab.members.filter((member) => member !== first && member !== second)
    await Promise.all([first.stop(), second.stop()])
    await pause(lab.timeoutMs / 2)
    const halted = lab.watch.height
    await pause(form === 'gate' ? 2 * lab.timeoutMs : MINUTE_MS)
    assert.equal(lab.watch.height, halted, 'two of four validators produced a block')
    const causes = await Promise.all(left.map((member) => requireExplained(lab, member, [first, second])))
    const machine = watchLab(lab)
    await Promise.all([first.start(), second.start()])
    const upMs = performance.now()
    await lab.until('the chain moves again', async () => lab.watch.height > halted)
    const resumedMs = performance.now() - upMs
    requireSoon(lab, resumedMs, machine)
    await lab.settle()
    return `halted, resumed ${seconds(resumedMs)} after both were up; reported cause: ${causes[0]}`
  },
}

const otherGenesis: Scenario = {
  name: 'other-genesis',
  isSampled: true,
  run: async (lab) => {
    const [one, two, ...left] = lab.members as [Member, Member, ...Member[]]
    await Promise.all([one.stop(), two.stop()])
    const stranger = lab.stranger(one)
    await stranger.start()
    try {
      const wanted = new RegExp(
        `${one.network.validator} among them, was turned away for a different genesis block`,
      )
      for (const member of left) await untilCause(lab, member, wanted)
      await untilCause(
        lab,
        stranger,
        /nodes?, 0x[0-9a-f]{40} among them, (was|were) turned away for a different genesis block/,
      )
    } finally {
      await stranger.kill()
    }
    await Promise.all([one.start(), two.start()])
    await lab.settle()
    return 'each side reports a different genesis block on the other'
  },
}

const kills: Scenario = {
  name: 'kills',
  run: async (lab, form) => {
    const machine = watchLab(lab)
    lab.load.start(lab.members, PER_SECOND)
    lab.watch.mark()
    const times = form === 'gate' ? 1 : 30
    for (let kill = 0; kill < times; kill++) {
      const beganMs = performance.now()
      const victim = pick(lab)
      await victim.kill()
      await victim.start()
      await lab.untilReady(victim)
      if (form === 'nightly') await pause(Math.max(0, 20_000 - (performance.now() - beganMs)))
      else await lab.moreBlocks(2)
      lab.watch.requireOneChain()
    }
    const gapMs = lab.watch.longestGapMs
    requireSoon(lab, gapMs, machine)
    await lab.load.stop()
    await lab.settle()
    return `${times} kills, no fork, longest time without a block ${seconds(gapMs)}`
  },
}

const rolling: Scenario = {
  name: 'rolling-restart',
  run: async (lab, form) => {
    const machine = watchLab(lab)
    lab.load.start(lab.members, PER_SECOND)
    lab.watch.mark()
    for (let round = 0; round < (form === 'gate' ? 1 : 5); round++) {
      for (const member of lab.members) {
        assert.equal(await member.stop(), 0, `${member.name} stops with 0`)
        await member.start()
        await lab.untilReady(member)
      }
    }
    const gapMs = lab.watch.longestGapMs
    requireSoon(lab, gapMs, machine)
    await lab.load.stop()
    await lab.settle()
    return `all were restarted, longest time without a block ${seconds(gapMs)}`
  },
}

export const STOP_SCENARIOS: readonly Scenario[] = [load, stopOne, stopTwo, otherGenesis, kills, rolling]

/** A random running validator. */
function pick({ members, random }: Lab, ...besides: readonly Member[]): Member {
  const eligible = members.filter((member) => member.isRunning && !besides.includes(member))
  return eligible[random.randomBelow(eligible.length)]!
}

async function requireExplained(lab: Lab, member: Member, silent: readonly Member[]): Promise<string> {
  const { cause, quorum, validators } = await member.status()
  assert.equal(quorum.needed, 3)
  assert.match(cause, /^3 of 4 validators are needed, and this node reaches 2 including itself/, member.name)
  for (const { network } of silent) {
    assert.ok(
      cause.includes(`${network.validator} (last heard `),
      `${member.name} does not report the silent validators: ${cause}`,
    )
    const row = validators.find(({ address }) => address === network.validator)!
    const silentMs = Date.now() - Date.parse(row.lastHeard!)
    assert.ok(
      silentMs >= lab.timeoutMs && !row.connected,
      `${member.name} does not report since when: ${JSON.stringify(row)}`,
    )
  }
  await lab.until(
    `${member.name} reports that it is not ready`,
    async () => (await member.readiness()).status === 503,
  )
  return cause
}
