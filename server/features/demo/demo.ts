/** A workspace that looks alive, made and taken away again by the command line tool and by the dashboard. */
export { fillDemo } from './demo.fill.ts';
export { removeDemo } from './demo.remove.ts';
export { findDemo } from './demo.sql.ts';
