import { OptionIndex, parseArguments } from '#config/command-line.ts'
import { loadSettings } from '#config/settings.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { readTextIfPresent } from '#platform/files/files.ts'
import { runThread } from '#platform/thread/thread-entry.ts'
import { isPluginOption } from '#plugins/plugin-settings.ts'
import { DOCTOR_CHECKS, diagnose } from './diagnose.ts'
import type { Diagnosis, DOCTOR_THREAD, OptionSource } from './doctor-thread.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024

runThread<typeof DOCTOR_THREAD>(({ connect }) => {
  const lookAt = async ({ args, environment }: OptionSource): Promise<Diagnosis> => {
    const passesOver = isPluginOption
    const { given } = parseArguments(args, new OptionIndex(ALL_OPTIONS), { stopAtWord: true, passesOver })
    const settings = loadSettings({
      options: ALL_OPTIONS,
      commandLine: given,
      environment,
      readText: (path) => readTextIfPresent(path, MAX_FILE_BYTES),
      passesOver,
    })
    const findings = await diagnose(settings, { engine: environment.CAIRN_ENGINE, isRunning: true })
    return { checks: DOCTOR_CHECKS.length, findings }
  }
  connect({ requests: { diagnose: lookAt } }, () => undefined)
  return undefined
})
