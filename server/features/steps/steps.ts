/** What other features may use of steps: checking, performing and previewing those of macros and rules. */
export { keptAnswer } from './steps.answers.ts';
export { type CallOutcome, checkCallUrls, performCall } from './steps.call.ts';
export {
  checkMacroSteps,
  checkRuleSteps,
  checkTimeZone,
  type RuleContext,
} from './steps.check.ts';
export { fillStep } from './steps.fill.ts';
export { ruleMailJobKind } from './steps.notify.ts';
export { performStep, type StepOutcome } from './steps.perform.ts';
export { inPreview, previewSteps } from './steps.preview.ts';
export type { StepProblem } from './steps.problems.ts';
export { type Scene, type SceneInput, withScene } from './steps.scene.ts';
export { everyStep } from './steps.walk.ts';
