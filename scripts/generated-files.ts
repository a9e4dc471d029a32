import { cliReference } from './cli-reference.ts'

export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

/** Everything in the repository that is written by a program from a declaration. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  return [await cliReference()]
}
