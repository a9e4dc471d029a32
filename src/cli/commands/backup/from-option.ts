import { path } from '#config/kinds.ts'

export const fromOption = {
  flag: '--from',
  kind: path,
  label: 'DIRECTORY',
  required: true,
  help: 'Backup to read, as `cairn backup create` made it.',
} as const
