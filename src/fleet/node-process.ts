/** The process of a node: started on its own, so that it outlives whoever started it, and found again by its database and its pid file. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { withoutOptions } from '#config/sources.ts'
import { type Clock, pause, systemClock } from '#platform/clock.ts'
import { kindOfPath, readTextBounded, writeFileAtomic } from '#platform/files/files.ts'
import { lockHolder } from '#platform/machine.ts'
import { commandWords, identityText, isAlive, readIdentity } from '#platform/process/process-identity.ts'
import { ClaimFile } from './claim-file.ts'
import { databaseLockOf, type FleetNode } from './network-directory.ts'
import { refusal } from './plan-network.ts'

/** A log of this size is put aside when its node starts; one older is kept. */
const MAX_LOG_BYTES = 64 * 1024 * 1024
const MAX_PATH_BYTES = 4096
const LOOK_MS = 100
/** A node finishes what it is answering, and closes its database. */
export const STOP_MS = 60_000

/** The process that runs a node, or is about to; undefined if it does not run. */
export function pidOf(node: FleetNode): number | undefined {
  return pidsOf(node)[0]
}

/**
 * Every process that runs a node: the one that has its database open, which may have been started by hand, and the one that
 * was started here and may not have opened it yet.
 */
export function pidsOf(node: FleetNode): readonly number[] {
  const started = readIdentity(node.pidFile)
  const isStarted =
    started !== undefined &&
    isAlive(started, (words) => words.includes(argumentOf(node))) &&
    (commandWords(started.pid)?.includes(argumentOf(node)) ?? false)
  const pids = [lockHolder(databaseLockOf(node)), isStarted ? started.pid : undefined]
  return [...new Set(pids.filter((pid) => pid !== undefined))]
}

function argumentOf({ configFile }: FleetNode): string {
  return `--config-file=${configFile}`
}

/** Which program this node runs from its next start on. */
export function setProgram(node: FleetNode, program: string): void {
  writeFileAtomic(node.programFile, program)
}

/** This program, unless the node was upgraded to another. */
export function programOf({ programFile }: FleetNode): string {
  return kindOfPath(programFile) === undefined
    ? process.argv[1]!
    : readTextBounded(programFile, MAX_PATH_BYTES).trim()
}

/**
 * On a machine with much memory V8 lets the young generation of the main thread grow to 128 MB and never shrinks it. 16 MB
 * for each half are enough for a node; the units in `deploy` set the same.
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=16']

/** False if it runs already, or another command is starting it: two programs with one key would equivocate. */
export function startProcess(node: FleetNode): boolean {
  const claim = new ClaimFile(node.startingFile)
  if (!claim.claim()) return false
  try {
    if (pidOf(node) !== undefined) return false
    spawnProcess(node)
    return true
  } finally {
    claim.release()
  }
}

/** It goes on when this process ends. */
function spawnProcess(node: FleetNode): void {
  const program = programOf(node)
  putAside(node.logFile)
  const log = openSync(node.logFile, 'a')
  try {
    const child = spawn(process.execPath, [...NODE_FLAGS, program, argumentOf(node)], {
      cwd: node.directory,
      // An option of the operator's shell would hold for every node, the ports too.
      env: withoutOptions(process.env),
      detached: true,
      stdio: ['ignore', log, log],
    })
    child.unref()
    if (child.pid === undefined) {
      throw refusal(
        `${node.name} could not be started; is ${program} a program, and are there processes left?`,
      )
    }
    writeFileAtomic(node.pidFile, identityText(child.pid))
  } finally {
    closeSync(log)
  }
}

function putAside(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat !== undefined && stat.size > MAX_LOG_BYTES) renameSync(file, `${file}.1`)
}

/** Tells the operator's wish to whoever restarts nodes, before the node ends. */
export function wantStopped(node: FleetNode): void {
  writeFileAtomic(node.stoppedFile, '')
}

export function wantRunning(node: FleetNode): void {
  rmSync(node.stoppedFile, { force: true })
}

export function signalProcess(node: FleetNode, signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const pid of pidsOf(node)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPERM') {
        throw refusal(`${node.name} runs as process ${pid} of another user; stop it as that user.`)
      }
      if (code !== 'ESRCH') throw error
    }
  }
}

/** Resolves with the nodes that still run when the time is over. */
export async function untilEnded(
  nodes: readonly FleetNode[],
  limitMs = STOP_MS,
  clock: Clock = systemClock,
): Promise<readonly FleetNode[]> {
  const endMs = clock.monotonicMs() + limitMs
  for (;;) {
    const left = nodes.filter((node) => pidOf(node) !== undefined)
    if (left.length === 0 || clock.monotonicMs() >= endMs) return left
    await pause(clock, LOOK_MS)
  }
}
