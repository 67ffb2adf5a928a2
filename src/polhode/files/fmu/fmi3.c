/* FMI 3.0, model exchange and co-simulation: unit.h under its names. */
#include <stdbool.h>
#include <stdint.h>
#include "unit.h"

typedef void *Instance;
typedef void *Saved;
typedef const char *String;
typedef const uint8_t *Binary;
typedef uint32_t Reference;
typedef enum { OK, WARNING, DISCARD, ERROR_, FATAL } Status;
typedef void (*Log)(void *, Status, String, String);
typedef void (*Update)(void *, Real, bool, bool, bool, bool, bool *, Real *);

/* ------------------------------------------------------------------ life of a unit */

static Instance instantiate(String token) {
    if (token == NULL || strcmp(token, GUID) != 0) return NULL;
    Model *m = malloc(sizeof *m);
    if (m != NULL) restart(m);
    return m;
}

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
EXPORT Status fmi3SetDebugLogging(Instance i, bool on, size_t n, const String s[]) {
    (void)i, (void)on, (void)n, (void)s;
    return OK;
}
EXPORT Instance fmi3InstantiateModelExchange(String name, String token, String folder,
                                             bool visible, bool on, void *environment,
                                             Log log) {
    (void)name, (void)folder, (void)visible, (void)on, (void)environment, (void)log;
    return instantiate(token);
}
EXPORT Instance fmi3InstantiateCoSimulation(String name, String token, String folder,
                                            bool visible, bool on, bool event_mode,
                                            bool early_return, const Reference wanted[],
                                            size_t n, void *environment, Log log,
                                            Update update_) {
    (void)name, (void)folder, (void)visible, (void)on, (void)early_return, (void)wanted;
    (void)n, (void)environment, (void)log, (void)update_;
    return event_mode ? NULL : instantiate(token); /* events are met inside a step */
}
EXPORT Instance fmi3InstantiateScheduledExecution(String name, String token, String folder,
                                                  bool visible, bool on, void *environment,
                                                  Log log, void (*clock)(void *),
                                                  void (*lock)(void), void (*unlock)(void)) {
    (void)name, (void)token, (void)folder, (void)visible, (void)on, (void)environment;
    (void)log, (void)clock, (void)lock, (void)unlock;
    return NULL;
}
EXPORT void fmi3FreeInstance(Instance i) { free(i); }
EXPORT Status fmi3EnterInitializationMode(Instance i, bool has_tolerance, Real tolerance,
                                          Real start, bool has_stop, Real stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((Model *)i)->t = start;
    return OK;
}
EXPORT Status fmi3ExitInitializationMode(Instance i) {
    Model *m = i;
    settle(m);
    look(m, m->t, m->x, m->g);
    return OK;
}
EXPORT Status fmi3Terminate(Instance i) { (void)i; return OK; }
EXPORT Status fmi3Reset(Instance i) { restart(i); return OK; }

/* ------------------------------------------------------------------------ variables */

EXPORT Status fmi3GetFloat64(Instance i, const Reference r[], size_t n, Real value[],
                             size_t count) {
    return n == count && get_values(i, r, n, value) ? OK : ERROR_;
}
EXPORT Status fmi3SetFloat64(Instance i, const Reference r[], size_t n, const Real value[],
                             size_t count) {
    return n == count && set_values(i, r, n, value) ? OK : ERROR_;
}
#define NO_VARIABLES(NAME, TYPE) \
    EXPORT Status fmi3Get##NAME(Instance i, const Reference r[], size_t n, TYPE v[], \
                                size_t count) { \
        (void)i, (void)r, (void)v, (void)count; \
        return n ? ERROR_ : OK; \
    } \
    EXPORT Status fmi3Set##NAME(Instance i, const Reference r[], size_t n, \
                                const TYPE v[], size_t count) { \
        (void)i, (void)r, (void)v, (void)count; \
        return n ? ERROR_ : OK; \
    }
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, String)
EXPORT Status fmi3GetBinary(Instance i, const Reference r[], size_t n, size_t sizes[],
                            Binary v[], size_t count) {
    (void)i, (void)r, (void)sizes, (void)v, (void)count;
    return n ? ERROR_ : OK;
}
EXPORT Status fmi3SetBinary(Instance i, const Reference r[], size_t n, const size_t sizes[],
                            const Binary v[], size_t count) {
    (void)i, (void)r, (void)sizes, (void)v, (void)count;
    return n ? ERROR_ : OK;
}
EXPORT Status fmi3GetClock(Instance i, const Reference r[], size_t n, bool v[]) {
    (void)i, (void)r, (void)v;
    return n ? ERROR_ : OK;
}
EXPORT Status fmi3SetClock(Instance i, const Reference r[], size_t n, const bool v[]) {
    (void)i, (void)r, (void)v;
    return n ? ERROR_ : OK;
}

/* ------------------------------------------------------------------- saved instants */

EXPORT Status fmi3GetFMUState(Instance i, Saved *s) {
    return save(i, s) ? OK : ERROR_;
}
EXPORT Status fmi3SetFMUState(Instance i, Saved s) {
    memcpy(i, s, sizeof(Model));
    return OK;
}
EXPORT Status fmi3FreeFMUState(Instance i, Saved *s) {
    (void)i, forget(s);
    return OK;
}
EXPORT Status fmi3SerializedFMUStateSize(Instance i, Saved s, size_t *size) {
    (void)i, (void)s, *size = sizeof(Model);
    return OK;
}
EXPORT Status fmi3SerializeFMUState(Instance i, Saved s, uint8_t bytes[], size_t size) {
    (void)i;
    return write_bytes(s, bytes, size) ? OK : ERROR_;
}
EXPORT Status fmi3DeserializeFMUState(Instance i, const uint8_t bytes[], size_t size,
                                      Saved *s) {
    (void)i;
    return read_bytes(bytes, size, s) ? OK : ERROR_;
}

/* ------------------------------------------------- what this unit has not: see its XML */

EXPORT Status fmi3GetNumberOfVariableDependencies(Instance i, Reference r, size_t *n) {
    (void)i, (void)r, (void)n;
    return ERROR_;
}
EXPORT Status fmi3GetVariableDependencies(Instance i, Reference r, size_t a[],
                                          Reference b[], size_t c[], int d[], size_t n) {
    (void)i, (void)r, (void)a, (void)b, (void)c, (void)d, (void)n;
    return ERROR_;
}
#define NO_DERIVATIVE(NAME) \
    EXPORT Status fmi3Get##NAME##Derivative(Instance i, const Reference u[], size_t nu, \
                                            const Reference k[], size_t nk, \
                                            const Real seed[], size_t ns, Real out[], \
                                            size_t no) { \
        (void)i, (void)u, (void)nu, (void)k, (void)nk, (void)seed, (void)ns; \
        (void)out, (void)no; \
        return ERROR_; \
    }
NO_DERIVATIVE(Directional)
NO_DERIVATIVE(Adjoint)
EXPORT Status fmi3EnterConfigurationMode(Instance i) { (void)i; return ERROR_; }
EXPORT Status fmi3ExitConfigurationMode(Instance i) { (void)i; return ERROR_; }
#define NO_CLOCK(NAME, A, B, C) \
    EXPORT Status fmi3##NAME(Instance i, const Reference r[], size_t n, A a, B b, C c) { \
        (void)i, (void)r, (void)a, (void)b, (void)c; \
        return n ? ERROR_ : OK; \
    }
#define NO_CLOCK_OF_TWO(NAME, A, B) \
    EXPORT Status fmi3##NAME(Instance i, const Reference r[], size_t n, A a, B b) { \
        (void)i, (void)r, (void)a, (void)b; \
        return n ? ERROR_ : OK; \
    }
#define NO_CLOCK_OF_ONE(NAME, A) \
    EXPORT Status fmi3##NAME(Instance i, const Reference r[], size_t n, A a) { \
        (void)i, (void)r, (void)a; \
        return n ? ERROR_ : OK; \
    }
NO_CLOCK(GetIntervalFraction, uint64_t *, uint64_t *, int *)
NO_CLOCK_OF_TWO(GetIntervalDecimal, Real *, int *)
NO_CLOCK_OF_TWO(GetShiftFraction, uint64_t *, uint64_t *)
NO_CLOCK_OF_TWO(SetIntervalFraction, const uint64_t *, const uint64_t *)
NO_CLOCK_OF_TWO(SetShiftFraction, const uint64_t *, const uint64_t *)
NO_CLOCK_OF_ONE(GetShiftDecimal, Real *)
NO_CLOCK_OF_ONE(SetIntervalDecimal, const Real *)
NO_CLOCK_OF_ONE(SetShiftDecimal, const Real *)
EXPORT Status fmi3ActivateModelPartition(Instance i, Reference clock, Real t) {
    (void)i, (void)clock, (void)t;
    return ERROR_;
}

/* ------------------------------------------------------------------- model exchange */

EXPORT Status fmi3EnterEventMode(Instance i) { (void)i; return OK; }
EXPORT Status fmi3EvaluateDiscreteStates(Instance i) { (void)i; return OK; }
EXPORT Status fmi3UpdateDiscreteStates(Instance i, bool *again, bool *ends,
                                       bool *nominals_changed, bool *values_changed,
                                       bool *has_next, Real *next) {
    int is_end;
    *again = *nominals_changed = *has_next = false;
    *next = 0;
    *values_changed = update(i, &is_end);
    *ends = is_end;
    return OK;
}
EXPORT Status fmi3EnterContinuousTimeMode(Instance i) { (void)i; return OK; }
EXPORT Status fmi3CompletedIntegratorStep(Instance i, bool no_set_state, bool *enter,
                                          bool *terminate) {
    (void)no_set_state;
    *enter = step_completed(i);
    *terminate = false;
    return OK;
}
EXPORT Status fmi3SetTime(Instance i, Real t) {
    ((Model *)i)->t = t;
    return OK;
}
EXPORT Status fmi3SetContinuousStates(Instance i, const Real x[], size_t n) {
    if (n != NX) return ERROR_;
    memcpy(((Model *)i)->x, x, n * sizeof(Real));
    return OK;
}
EXPORT Status fmi3GetContinuousStates(Instance i, Real x[], size_t n) {
    if (n != NX) return ERROR_;
    memcpy(x, ((Model *)i)->x, n * sizeof(Real));
    return OK;
}
EXPORT Status fmi3GetContinuousStateDerivatives(Instance i, Real rates[], size_t n) {
    Model *m = i;
    if (n != NX) return ERROR_;
    MODEL(rates)(&m->t, m->x, m->u, m->p, rates);
    return is_number(rates, NX) ? OK : DISCARD;
}
EXPORT Status fmi3GetEventIndicators(Instance i, Real g[], size_t n) {
    Model *m = i;
    if (n != NE) return ERROR_;
    look(m, m->t, m->x, g);
    return OK;
}
EXPORT Status fmi3GetNominalsOfContinuousStates(Instance i, Real x[], size_t n) {
    (void)i;
    for (size_t k = 0; k < n; ++k) x[k] = 1;
    return OK;
}
EXPORT Status fmi3GetNumberOfEventIndicators(Instance i, size_t *n) {
    (void)i;
    *n = NE;
    return OK;
}
EXPORT Status fmi3GetNumberOfContinuousStates(Instance i, size_t *n) {
    (void)i;
    *n = NX;
    return OK;
}

/* -------------------------------------------------------------------- co-simulation */

EXPORT Status fmi3EnterStepMode(Instance i) { (void)i; return OK; }
EXPORT Status fmi3GetOutputDerivatives(Instance i, const Reference r[], size_t n,
                                       const int32_t orders[], Real v[], size_t count) {
    (void)i, (void)r, (void)n, (void)orders, (void)v, (void)count;
    return ERROR_;
}
EXPORT Status fmi3DoStep(Instance i, Real t, Real h, bool no_set_state, bool *event,
                         bool *ends, bool *early, Real *last) {
    Model *m = i;
    (void)no_set_state;
    Advance found = advance_to(m, t, h);
    *event = *early = false;
    *ends = found == ENDED;
    *last = found == LOST ? t : m->t;
    return found == LOST ? DISCARD : OK;
}
