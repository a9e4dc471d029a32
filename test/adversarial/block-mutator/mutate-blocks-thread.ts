/* The thread that mutates: main replaces it if a block keeps it busy for too long. */
import { parentPort, workerData } from 'node:worker_threads'
import { MUTATIONS, SITES } from './catalogue.ts'
import { judge } from './judge.ts'
import { Paths } from './paths.ts'
import { Site } from './site.ts'

/** One case: a mutation by its number, as it is or repaired. */
export interface Task {
  readonly site: number
  readonly cases: readonly { readonly mutation: number; readonly variant: 'as it is' | 'repaired' }[]
}

export type Report =
  | { readonly type: 'begin'; readonly name: string; readonly at: number }
  | {
      readonly type: 'judged'
      readonly submissions: number
      readonly isAccepted: boolean
      readonly slowestMs: number
    }
  | { readonly type: 'problem'; readonly name: string; readonly sentence: string }
  | { readonly type: 'done' }

const { site: index, cases } = workerData as Task
const report = (message: Report): void => parentPort!.postMessage(message)
const { network, filling } = SITES[index]!
const site = await Site.open(network, filling)
const paths = await Paths.open(site)
for (const [at, { mutation: number, variant }] of cases.entries()) {
  const mutation = MUTATIONS[number]!
  const name = `${site.name}: ${mutation.field}: ${mutation.value} (${variant})`
  report({ type: 'begin', name, at })
  const judgement = await judge(mutation, variant, site, paths)
  if (judgement === undefined) continue
  const { submissions, isAccepted, slowestMs, problems } = judgement
  report({ type: 'judged', submissions, isAccepted, slowestMs })
  for (const sentence of problems) report({ type: 'problem', name, sentence })
}
report({ type: 'done' })
