/** rpc-spec suites: every file of some folders, played on one chain. */
import { basename } from 'node:path'
import type { Outcome, Pack, Suite } from '../suite.ts'
import type { Deviation } from './deviation.ts'
import { specDifference } from './spec-rules.ts'
import type { RpcTarget, ServedChain } from './target.ts'
import { reasonToWait } from './waits.ts'

export interface SpecSuite {
  /** The suite's name: the folder that holds the others. */
  readonly name: string
  /** Folders of the pack and the chain that their files are played on. */
  readonly parts: readonly SpecPart[]
  /** Files with deliberately different answers, by path. */
  readonly deviations?: Readonly<Record<string, Deviation>>
  /** Files that wait for something other than their method, by path, with the reason. */
  readonly waits?: Readonly<Record<string, string>>
  /** Normalises an answer before the comparison, as the pack's README permits. */
  readonly normalise?: (request: unknown, actual: unknown) => unknown
}

interface SpecPart {
  readonly folder: string
  readonly chain: ServedChain
  /** True if every file needs its own node, because it leaves changes behind. */
  readonly isApart?: boolean
}

interface SpecFile {
  readonly request: unknown
  readonly response: unknown
  readonly statusCode: number
}

export function specSuite(spec: SpecSuite): Suite {
  return {
    name: spec.name,
    async *run(pack, openTarget) {
      const targets = new Map<ServedChain, RpcTarget>()
      for (const { folder, chain, isApart } of spec.parts) {
        const files = pack.files(folder).filter((file) => file.endsWith('.json'))
        const isWaited = files.every(
          (file) => reasonToWait((pack.json(file) as SpecFile).request) !== undefined,
        )
        if (isApart) {
          for (const file of files) yield await outcomeApart(pack, spec, file, () => openTarget(pack, chain))
          continue
        }
        // A chain is imported only if some file can be played on it.
        if (!isWaited && !targets.has(chain)) targets.set(chain, await openTarget(pack, chain))
        for (const file of files) yield await outcomeOf(pack, spec, file, targets.get(chain))
      }
      for (const target of targets.values()) await target.stop()
    },
  }
}

async function outcomeApart(
  pack: Pack,
  spec: SpecSuite,
  file: string,
  open: () => Promise<RpcTarget>,
): Promise<Outcome> {
  const target = await open()
  try {
    return await outcomeOf(pack, spec, file, target)
  } finally {
    await target.stop()
  }
}

async function outcomeOf(
  pack: Pack,
  spec: SpecSuite,
  file: string,
  target: RpcTarget | undefined,
): Promise<Outcome> {
  const unit = file
  const { request, response, statusCode } = pack.json(file) as SpecFile
  const reason = spec.waits?.[file] ?? reasonToWait(request)
  if (reason !== undefined || target === undefined)
    return { unit, status: 'waits', reason: reason ?? 'its method' }
  const deviation = spec.deviations?.[file]
  const expected = deviation?.instead(response, file) ?? response
  const difference = await play(target, { request, response: expected, statusCode }, file, spec.normalise)
  if (difference !== undefined) return { unit, status: 'failed', reason: difference }
  return deviation === undefined
    ? { unit, status: 'met' }
    : { unit, status: 'deviates', decision: deviation.decision }
}

async function play(
  target: RpcTarget,
  { request, response, statusCode }: SpecFile,
  file: string,
  normalise: SpecSuite['normalise'] = (_, actual) => actual,
): Promise<string | undefined> {
  try {
    const reply = await target.ask(JSON.stringify(request))
    if (reply.status !== statusCode) return `the HTTP status is ${reply.status}, expected ${statusCode}`
    return specDifference(basename(file), request, response, normalise(request, JSON.parse(reply.body)))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
