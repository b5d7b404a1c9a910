import { killAtEachStep } from './support/kills';

killAtEachStep('child');
