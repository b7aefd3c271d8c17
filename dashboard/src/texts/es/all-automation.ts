export { rules } from './automation/rules.ts';
export { sla } from './automation/service-levels.ts';
export { steps } from './automation/steps.ts';
export { triggers } from './automation/triggers.ts';
export { trying } from './automation/trying.ts';
