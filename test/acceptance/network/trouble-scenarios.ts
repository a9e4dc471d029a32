/**
 * One of four validators harms the network by mistake or malice: wrong clock, full disk, or one key in two
 * nodes.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillDisk } from '../process/fill-disk.ts'
import { type Lab, pause } from './lab.ts'
import type { Member } from './member.ts'
import { type Form, requireSoon, type Scenario, seconds, untilCause, watchLab } from './scenario.ts'

const PER_SECOND = 50
const SKEW_MS = 10_000

const clockJumps: Scenario = {
  name: 'clock-jumps',
  isSampled: true,
  run: async (lab, form) => {
    const [skewed, ...others] = lab.members as [Member, ...Member[]]
    await skewed.stop()
    const file = join(skewed.network.data, 'clock')
    const preload = `--import=${join(import.meta.dirname, 'skewed-clock.ts')}`
    await skewed.start({ command: ['env', `LAB_CLOCK_FILE=${file}`, `NODE_OPTIONS=${preload}`] })
    await lab.untilReady(skewed)
    lab.load.start(lab.members, PER_SECOND)
    const machine = watchLab(lab)
    lab.watch.mark()
    writeFileSync(file, String(SKEW_MS))
    await untilCause(lab, skewed, /the clock of this machine is ahead/)
    const refused = new RegExp(
      `proposal of ${skewed.network.validator} for block \\d+ was refused for its time`,
    )
    await Promise.any(others.map((member) => untilCause(lab, member, refused)))
    await rightAgain(lab, skewed, file, form)
    writeFileSync(file, String(-SKEW_MS))
    await untilCause(lab, skewed, /ahead of this machine's clock|was refused for its time/)
    await rightAgain(lab, skewed, file, form)
    const gapMs = lab.watch.longestGapMs
    requireSoon(lab, gapMs, machine)
    await lab.load.stop()
    await lab.settle()
    return `a clock jumped by ${seconds(SKEW_MS)} ahead and behind, and the nodes reported it; longest time without a block ${seconds(gapMs)}`
  },
}

const sameKey: Scenario = {
  name: 'same-key',
  isSampled: true,
  run: async (lab, form) => {
    const [one, ...others] = lab.members as [Member, ...Member[]]
    lab.load.start(lab.members, PER_SECOND)
    const machine = watchLab(lab)
    lab.watch.mark()
    const copy = await lab.copyOf(one)
    try {
      await pause(form === 'gate' ? 3 * lab.timeoutMs : 60_000)
      requireSoon(lab, lab.watch.longestGapMs, machine)
    } finally {
      await copy.kill()
    }
    const gapMs = lab.watch.longestGapMs
    await lab.load.stop()
    await lab.untilAll(lab.watch.height + 1, others)
    await lab.untilReady(one)
    await lab.settle()
    return `two nodes had one key, and the network continued; longest time without a block ${seconds(gapMs)}`
  },
}

const fullDisk: Scenario = {
  name: 'full-disk',
  isSampled: true,
  run: async (lab, form) => {
    const [, member, ...others] = lab.members as [Member, Member, ...Member[]]
    await member.stop()
    const disk = lab.mountSmallDisk()
    if (disk === undefined) {
      await member.start()
      return { skipped: 'no file system can be mounted here' }
    }
    const data = join(disk, 'data')
    mkdirSync(data)
    cpSync(member.network.data, data, { recursive: true })
    await member.start({ data })
    await lab.untilReady(member)
    lab.load.start(others, PER_SECOND)
    const free = fillDisk(join(disk, 'ballast'), 0)
    const machine = watchLab(lab)
    lab.watch.mark()
    await untilCause(lab, member, /disk is full/)
    await pause(form === 'gate' ? 2 * lab.timeoutMs : 60_000)
    const gapMs = lab.watch.longestGapMs
    requireSoon(lab, gapMs, machine)
    for (const { name, output } of [member, ...others])
      assert.doesNotMatch(output, /Peer sent an invalid block/, name)
    free()
    await lab.untilAll(lab.watch.height, [member])
    await lab.untilReady(member)
    await lab.load.stop()
    await lab.settle()
    await member.stop()
    cpSync(data, member.network.data, { recursive: true, force: true })
    await member.start()
    await lab.untilReady(member)
    return `three validators continued, longest time without a block ${seconds(gapMs)}; the other reported why, and was in sync after disk space was freed`
  },
}

export const TROUBLE_SCENARIOS: readonly Scenario[] = [clockJumps, sameKey, fullDisk]

async function rightAgain(lab: Lab, member: Member, file: string, form: Form): Promise<void> {
  await pause(form === 'gate' ? 0 : 60_000)
  rmSync(file)
  await lab.untilAll(lab.watch.height + 1, [member])
  await lab.untilReady(member)
}
