/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: the verilated RTL for C. Each card has a model of its own.
 */
#include <memory>

#include "verilated.h"
#include "svdpi.h"
#include "Vhbs_cosim.h"
#include "Vhbs_cosim__Dpi.h"

#include "hbs-model.h"

/*
 * Verilator computes what follows from a register when the clock sets it, not
 * when somebody else does. This is what it does once at the beginning.
 */
void Vhbs_cosim___024root___eval_settle(Vhbs_cosim___024root *root);

struct HbsModel {
    VerilatedContext context;
    std::unique_ptr<Vhbs_cosim> top;
    svScope scope;
    bool changed;                   /* a register was set from outside */
};

HbsModel *hbs_model_new(unsigned ports, unsigned groups, uint64_t features)
{
    HbsModel *model = new HbsModel();

    /* What the RTL does not set has any value, and the same each time. */
    model->context.randReset(2);
    model->context.randSeed(1);
    model->top.reset(new Vhbs_cosim(&model->context, "card"));
    model->scope = svGetScopeFromName("card.hbs_cosim");
    model->top->ports_i = ports;
    model->top->groups_i = groups;
    model->top->features_i = features;
    model->top->clk_i = 0;
    return model;
}

void hbs_model_free(HbsModel *model)
{
    model->top->final();
    delete model;
}

void hbs_model_settle(HbsModel *model, HbsPins *pins)
{
    Vhbs_cosim *top = model->top.get();

    top->rst_ni = pins->rst_ni;
    top->now_i = pins->now;
    top->msix_enable_i = pins->msix_enable;
    top->req_valid_i = pins->req_valid;
    top->req_write_i = pins->req_write;
    top->req_lane_i = pins->req_lane;
    top->req_addr_i = pins->req_addr >> 3;
    top->req_be_i = pins->req_be;
    top->req_data_i = pins->req_data;
    top->req_tag_i = pins->req_tag;
    top->tx_ready_i = pins->tx_ready;
    top->tx_refused_i = pins->tx_refused;
    top->rd_ready_i = pins->rd_ready;
    top->ans_valid_i = pins->ans_valid;
    top->ans_error_i = pins->ans_error;
    top->ans_tag_i = pins->ans_tag;
    top->ans_data_i = pins->ans_data;
    top->clk_i = 0;
    if (model->changed) {
        model->changed = false;
        Vhbs_cosim___024root___eval_settle(top->rootp);
    }
    top->eval();
    pins->req_ready = top->req_ready_o;
    pins->tx_valid = top->tx_valid_o;
    pins->tx_kind = top->tx_kind_o;
    pins->tx_addr = top->tx_addr_o;
    pins->tx_data[0] = top->tx_data_o[0] | (uint64_t)top->tx_data_o[1] << 32;
    pins->tx_data[1] = top->tx_data_o[2] | (uint64_t)top->tx_data_o[3] << 32;
    pins->tx_tag = top->tx_tag_o;
    pins->rd_valid = top->rd_valid_o;
    pins->rd_addr = top->rd_addr_o;
    pins->rd_tag = top->rd_tag_o;
    pins->ready = top->ready_o;
    pins->idle = top->idle_o;
}

void hbs_model_edge(HbsModel *model)
{
    model->top->clk_i = 1;
    model->top->eval();
}

uint64_t hbs_model_next_timer(HbsModel *model)
{
    svSetScope(model->scope);
    return hbs_next_timer();
}

void hbs_model_start(HbsModel *model, unsigned group)
{
    svSetScope(model->scope);
    hbs_start(group);
    model->changed = true;
}

uint64_t hbs_model_get(HbsModel *model, HbsField field, unsigned index,
                       unsigned element)
{
    svSetScope(model->scope);
    return hbs_get(field, index, element);
}

void hbs_model_set(HbsModel *model, HbsField field, unsigned index,
                   unsigned element, uint64_t value)
{
    svSetScope(model->scope);
    hbs_set(field, index, element, value);
    model->changed = true;
}
