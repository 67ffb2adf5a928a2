/* What a unit of any version of FMI does with the functions of a system.
 *
 * The numbers of states, inputs, parameters, outputs and events, first values and the
 * length of a step are in model.h, beside the functions of the system themselves.
 * Value references: 0 time; then states, their rates, inputs, parameters, outputs,
 * functions of events.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define AT_LEAST_ONE(n) ((n) > 0 ? (n) : 1)

typedef double Real;

typedef struct {
    Real t, x[NX], u[AT_LEAST_ONE(NU)], p[AT_LEAST_ONE(NP)];
    Real g[AT_LEAST_ONE(NE)]; /* the events' functions after the last event */
    int is_settling; /* whether the integrator's states are to be put on their manifold */
} Model;

static void restart(Model *m) {
    static const Real x[] = FIRST_X, u[] = FIRST_U, p[] = FIRST_P;
    memset(m, 0, sizeof *m);
    memcpy(m->x, x, sizeof m->x);
    memcpy(m->u, u, NU * sizeof(Real));
    memcpy(m->p, p, NP * sizeof(Real));
}

static int is_number(const Real *x, int n) {
    for (int k = 0; k < n; ++k)
        if (!isfinite(x[k])) return 0;
    return 1;
}

static void settle(Model *m) {
    Real x[NX];
    MODEL(settled)(&m->t, m->x, m->u, m->p, x);
    if (is_number(x, NX)) memcpy(m->x, x, sizeof x);
}

/* ------------------------------------------------------------------------- events */

static void look(const Model *m, Real t, const Real *x, Real *g) {
    (void)m, (void)t, (void)x, (void)g;
#if NE > 0
    MODEL(indicators)(&t, x, m->u, m->p, g);
#endif
}

/* The first event whose function passed zero in its direction, or -1. */
static int passed(const Real *before, const Real *after) {
    (void)before, (void)after;
#if NE > 0
    static const int directions[] = DIRECTIONS;
    for (int k = 0; k < NE; ++k) {
        int rises = before[k] < 0 && after[k] >= 0, falls = before[k] > 0 && after[k] <= 0;
        if ((rises && directions[k] >= 0) || (falls && directions[k] <= 0)) return k;
    }
#endif
    return -1;
}

/* What follows an event; whether the run ends there. */
static int happen(Model *m, int k) {
    int ends = 0;
    (void)k;
#if NE > 0
    static const int is_terminal[] = TERMINAL;
    Real which = k, x[NX];
    MODEL(reset)(&m->t, m->x, m->u, m->p, &which, x);
    if (is_number(x, NX)) memcpy(m->x, x, sizeof x);
    ends = is_terminal[k];
#endif
    look(m, m->t, m->x, m->g);
    return ends;
}

/* ---------------------------------------------------------------------- variables */

static int get_values(const Model *m, const unsigned *r, size_t n, Real *value) {
    Real rates[NX], y[AT_LEAST_ONE(NY)], g[AT_LEAST_ONE(NE)];
    int has_rates = 0, has_outputs = 0, has_events = 0;
    for (size_t i = 0; i < n; ++i) {
        long k = r[i];
        if (k == 0) { value[i] = m->t; continue; }
        if ((k -= 1) < NX) { value[i] = m->x[k]; continue; }
        if ((k -= NX) < NX) {
            if (!has_rates) MODEL(rates)(&m->t, m->x, m->u, m->p, rates);
            has_rates = 1, value[i] = rates[k];
            continue;
        }
        if ((k -= NX) < NU) { value[i] = m->u[k]; continue; }
        if ((k -= NU) < NP) { value[i] = m->p[k]; continue; }
        if ((k -= NP) < NY) {
#if NY > 0
            if (!has_outputs) MODEL(outputs)(&m->t, m->x, m->u, m->p, y);
#endif
            has_outputs = 1, value[i] = y[k];
            continue;
        }
        if ((k -= NY) >= NE) return 0;
        if (!has_events) look(m, m->t, m->x, g);
        has_events = 1, value[i] = g[k];
    }
    return 1;
}

static int set_values(Model *m, const unsigned *r, size_t n, const Real *value) {
    for (size_t i = 0; i < n; ++i) {
        long k = (long)r[i] - 1;
        if (!isfinite(value[i])) return 0;
        if (k < 0) return 0;
        if (k < NX) { m->x[k] = value[i]; continue; }
        if ((k -= 2 * NX) < 0) return 0;
        if (k < NU) { m->u[k] = value[i]; continue; }
        if ((k -= NU) >= NP) return 0;
        m->p[k] = value[i];
    }
    return 1;
}

/* ------------------------------------------------------------------- saved instants */

/* A model, or its bytes, as a saved instant; 0 where there is no memory for it. */
static int save(const void *from, void **saved) {
    if (*saved == NULL) *saved = malloc(sizeof(Model));
    if (*saved == NULL) return 0;
    memcpy(*saved, from, sizeof(Model));
    return 1;
}

static void forget(void **saved) {
    free(*saved);
    *saved = NULL;
}

static int write_bytes(const void *saved, void *bytes, size_t size) {
    if (size < sizeof(Model)) return 0;
    memcpy(bytes, saved, sizeof(Model));
    return 1;
}

static int read_bytes(const void *bytes, size_t size, void **saved) {
    return size < sizeof(Model) ? 0 : save(bytes, saved);
}

/* ------------------------------------------------------------------- model exchange */

/* Makes what has happened since the last event happen; whether states changed. */
static int update(Model *m, int *ends) {
    Real g[AT_LEAST_ONE(NE)];
    int changed = 0;
    *ends = 0;
    look(m, m->t, m->x, g);
    int k = passed(m->g, g);
    if (k >= 0) *ends = happen(m, k), changed = 1;
    if (m->is_settling) settle(m), m->is_settling = 0, changed = 1;
    return changed;
}

/* After a step of somebody's integrator: whether it is to stop and update. */
static int step_completed(Model *m) {
#if HAS_MANIFOLD
    Real x[NX], most = 0;
    MODEL(settled)(&m->t, m->x, m->u, m->p, x);
    for (int k = 0; k < NX; ++k) most = fmax(most, fabs(x[k] - m->x[k]));
    if (most > SETTLES_AT) m->is_settling = 1;
#endif
    Real g[AT_LEAST_ONE(NE)];
    look(m, m->t, m->x, g);
    /* A step without a crossing: what it ends with is where the next one begins. */
    if (passed(m->g, g) < 0) memcpy(m->g, g, NE * sizeof(Real));
    return m->is_settling;
}

/* -------------------------------------------------------------------- co-simulation */

static int advance(const Model *m, Real t, const Real *x, Real h, Real *end) {
    MODEL(step)(&t, x, m->u, m->p, &h, end);
    return is_number(end, NX);
}

/* One step from t, cut at the first event in it; how long it was, or -1. */
static Real one_step(Model *m, Real t, Real h, int *event) {
    Real x[NX], g[AT_LEAST_ONE(NE)];
    *event = -1;
    if (!advance(m, t, m->x, h, x)) return -1;
    look(m, t + h, x, g);
    if (passed(m->g, g) >= 0) {
        Real low = 0, high = h;
        for (int k = 0; k < 60 && high - low > 1e-15 * (fabs(t) + h); ++k) {
            Real middle = 0.5 * (low + high);
            if (!advance(m, t, m->x, middle, x)) return -1;
            look(m, t + middle, x, g);
            if (passed(m->g, g) >= 0) high = middle;
            else low = middle;
        }
        if (!advance(m, t, m->x, high, x)) return -1;
        look(m, t + high, x, g);
        *event = passed(m->g, g);
        h = high;
    }
    memcpy(m->x, x, sizeof x);
    memcpy(m->g, g, NE * sizeof(Real));
    m->t = t + h;
    return h;
}

typedef enum { ARRIVED, ENDED, LOST } Advance;

/* To the end of a communication step; where it is lost, everything is as before. */
static Advance advance_to(Model *m, Real t, Real h) {
    Model before = *m;
    Real end = t + h;
    int parts = 0;
    m->t = t;
    while (end - m->t > 1e-12 * fmax(fabs(end), h)) {
        Real left = end - m->t;
        Real part = left / ceil(left / LONGEST - 1e-9);
        int event;
        Real done = one_step(m, m->t, part, &event);
        if (done < 0 || ++parts > 10000000) {
            *m = before;
            return LOST;
        }
        if (event >= 0 && happen(m, event)) return ENDED;
    }
    m->t = end;
    return ARRIVED;
}
