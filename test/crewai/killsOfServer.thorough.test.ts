import { killAtEachStep } from './support/kills';

killAtEachStep('server');
