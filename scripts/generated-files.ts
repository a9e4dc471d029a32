import { cliReference } from './cli-reference.ts'
import { generateRpc } from './generate-rpc.ts'
import { metricsReference } from './metrics-reference.ts'

export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

/** Everything in the repository that is written by a program from a declaration. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  return [await cliReference(), metricsReference(), ...(await generateRpc())]
}
