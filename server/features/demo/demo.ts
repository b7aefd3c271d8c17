/** A workspace with demo data, created and removed by the command line tool and by the dashboard. */
export { fillDemo } from './demo.fill.ts';
export { removeDemo } from './demo.remove.ts';
export { findDemo } from './demo.sql.ts';
